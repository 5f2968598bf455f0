"""The style sheet of the HTML fragment; every rule is bound to its class."""

from __future__ import annotations

STYLE = """
figure.fuzzbow-explanation{--ink:#1c2230;--muted:#5b6475;--paper:#fff;--edge:#d9dee8;
 --left:29 78 216;--right:180 83 9;color-scheme:light;color:var(--ink);background:var(--paper);
 border:1px solid var(--edge);border-radius:10px;padding:16px 20px;margin:12px 0;max-width:820px;
 font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;
 display:block;width:auto;box-sizing:border-box;text-align:left}
@media (prefers-color-scheme:dark){figure.fuzzbow-explanation{--ink:#e6e9f0;--muted:#a3adbf;
 --paper:#161b26;--edge:#333c4d;--left:125 165 255;--right:251 176 94;color-scheme:dark}}
.fuzzbow-explanation p{margin:0 0 10px}
.fuzzbow-explanation .fz-left{--hue:var(--left)}
.fuzzbow-explanation .fz-right{--hue:var(--right)}
.fuzzbow-explanation .fz-score{display:flex;flex-wrap:wrap;gap:2px 14px;align-items:baseline}
.fuzzbow-explanation .fz-score strong{font-size:28px;line-height:1.2;
 font-variant-numeric:tabular-nums}
.fuzzbow-explanation .fz-muted{color:var(--muted);font-size:13px}
.fuzzbow-explanation .fz-text{font-size:17px;line-height:2.1;overflow-wrap:anywhere;
 white-space:pre-wrap;border-left:4px solid rgb(var(--hue));padding-left:12px;
 max-height:16em;overflow-y:auto}
.fuzzbow-explanation .fz-word{padding:2px 1px 1px;border-radius:3px 3px 0 0;
 background:rgb(var(--hue)/calc(var(--s)*.38));
 border-bottom:calc(var(--s)*6px) solid rgb(var(--hue))}
.fuzzbow-explanation .fz-unknown{outline:1px dashed var(--muted);outline-offset:1px}
.fuzzbow-explanation .fz-out{text-decoration:line-through;color:var(--muted)}
.fuzzbow-explanation figcaption{margin:0 0 10px;max-width:none;font-style:normal}
.fuzzbow-explanation svg{display:block;width:100%;min-width:540px;height:auto;margin:6px 0 10px;
 font:13px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;
 font-variant-numeric:tabular-nums}
.fuzzbow-explanation svg text{fill:var(--ink)}
.fuzzbow-explanation svg .fz-faint{fill:var(--muted);font-size:11.5px}
.fuzzbow-explanation svg .fz-halo{paint-order:stroke;stroke:var(--paper);stroke-width:5px;
 stroke-linejoin:round;font-size:11px}
.fuzzbow-explanation .fz-whole{fill:none;stroke:rgb(var(--hue)/.65)}
.fuzzbow-explanation .fz-part{fill:rgb(var(--hue)/.75)}
.fuzzbow-explanation .fz-link{fill:none;stroke:var(--muted);stroke-linecap:round}
.fuzzbow-explanation .fz-one-way{stroke-dasharray:2 6}
.fuzzbow-explanation .fz-scroll{overflow-x:auto}
.fuzzbow-explanation details{margin:4px 0;padding:0;border:0;background:none;box-shadow:none;
 font-size:13px}
.fuzzbow-explanation summary{display:list-item;list-style:revert;margin:0;padding:0!important;
 border:0;background:none;font-weight:400;cursor:pointer;color:var(--muted)}
.fuzzbow-explanation summary::before,.fuzzbow-explanation summary::after{display:none}
.fuzzbow-explanation table{border-collapse:collapse;font-size:13px;margin:8px 0;width:100%;
 font-variant-numeric:tabular-nums}
.fuzzbow-explanation caption{text-align:left;font-weight:600;padding:4px 0}
.fuzzbow-explanation th,.fuzzbow-explanation td{padding:3px 8px;text-align:right;
 border:0;border-bottom:1px solid var(--edge);background:none;color:inherit}
.fuzzbow-explanation th:first-child,.fuzzbow-explanation .fz-name{text-align:left}
.fuzzbow-explanation thead th{color:var(--muted);font-weight:500}
.fuzzbow-explanation tbody th{font-weight:600}
"""
