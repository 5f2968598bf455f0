"""The style sheet of the HTML fragment; every rule is bound to its class."""

from __future__ import annotations

from fuzzbow.palette import themed

STYLE = (
    themed(".fuzzbow-explanation")
    + """figure.fuzzbow-explanation{container-type:inline-size;display:block;box-sizing:border-box;
 width:100%;max-width:820px;margin:12px 0;padding:16px 20px;border:1px solid var(--line);
 border-radius:12px;background:var(--card);color:var(--ink);font:15px/1.5 var(--sans);
 text-align:left;overflow-wrap:anywhere}
.fuzzbow-explanation p{margin:0 0 10px;font-size:inherit;color:inherit}
.fuzzbow-explanation .fz-left{--hue:var(--accent)}
.fuzzbow-explanation .fz-right{--hue:var(--warm)}
.fuzzbow-explanation .fz-score{display:flex;flex-wrap:wrap;gap:2px 14px;align-items:baseline}
.fuzzbow-explanation .fz-score strong{font:600 32px/1.2 var(--serif);
 font-variant-numeric:tabular-nums lining-nums}
.fuzzbow-explanation .fz-muted{color:var(--soft);font-size:13px}
.fuzzbow-explanation .fz-text{font:17px/2 var(--serif);white-space:pre-wrap;
 border-left:4px solid var(--hue);padding-left:12px}
.fuzzbow-explanation .fz-hidden{position:absolute;width:1px;height:1px;overflow:hidden;
 clip-path:inset(50%)}
.fuzzbow-explanation .fz-word{padding:2px 1px 1px;border-radius:3px 3px 0 0;
 background:color-mix(in srgb,var(--hue) calc(var(--s)*30%),transparent);
 box-shadow:inset 0 calc(var(--s)*-4px) var(--hue)}
.fuzzbow-explanation .fz-unknown{outline:1px dashed var(--soft);outline-offset:1px}
.fuzzbow-explanation .fz-out{text-decoration:line-through;color:var(--soft)}
.fuzzbow-explanation figcaption{margin:0 0 10px;max-width:none;font-style:normal;text-align:left}
.fuzzbow-explanation .fz-picture{--row:25px;display:grid;margin:14px 0 10px;font-size:13px;
 line-height:1.2;font-variant-numeric:tabular-nums;
 grid-template-columns:minmax(0,1.9fr) minmax(64px,1fr) minmax(0,1.9fr)}
.fuzzbow-explanation .fz-row{display:grid;height:var(--row);gap:0 10px;align-items:center;
 grid-template-columns:auto minmax(0,1.2fr) minmax(0,1fr)}
.fuzzbow-explanation .fz-right .fz-row{grid-template-columns:minmax(0,1fr) minmax(0,1.2fr) auto}
.fuzzbow-explanation .fz-faint{color:var(--soft);font-size:11.5px}
.fuzzbow-explanation .fz-name{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.fuzzbow-explanation .fz-number{min-width:4.4em;white-space:nowrap}
.fuzzbow-explanation .fz-left .fz-name,.fuzzbow-explanation .fz-right .fz-number{text-align:right}
.fuzzbow-explanation .fz-bar{height:11px;border-radius:2px;box-sizing:border-box;
 width:calc(var(--w)*100%);border:1px solid var(--hue);
 background:linear-gradient(var(--hue),var(--hue)) no-repeat;background-size:calc(var(--p)*100%)}
.fuzzbow-explanation .fz-left .fz-bar{justify-self:end;background-position:right}
.fuzzbow-explanation .fz-middle{position:relative;margin:var(--row) 8px 0;
 height:calc(var(--row)*var(--rows))}
.fuzzbow-explanation svg{display:block;width:100%;height:100%;overflow:visible;margin:0}
.fuzzbow-explanation .fz-link{fill:none;stroke:var(--soft);stroke-linecap:round;
 vector-effect:non-scaling-stroke}
.fuzzbow-explanation .fz-one-way{stroke-dasharray:2 6}
.fuzzbow-explanation .fz-label{position:absolute;left:50%;top:calc(var(--y)*100%);
 translate:-50% -50%;padding:0 3px;border-radius:4px;background:var(--card);font-size:11px}
.fuzzbow-explanation .fz-scroll{overflow-x:auto}
.fuzzbow-explanation details{margin:4px 0;padding:0;border:0;background:none;box-shadow:none;
 font-size:13px}
.fuzzbow-explanation summary{display:list-item;list-style:revert;margin:0;padding:2px 0!important;
 border:0;background:none;font-weight:400;cursor:pointer;color:var(--accent)}
.fuzzbow-explanation summary::before,.fuzzbow-explanation summary::after{display:none}
.fuzzbow-explanation :focus-visible{outline:3px solid var(--warm);outline-offset:2px}
.fuzzbow-explanation table{border-collapse:collapse;font-size:13px;margin:8px 0;width:100%;
 font-variant-numeric:tabular-nums;overflow-wrap:normal}
.fuzzbow-explanation caption{text-align:left;font-weight:600;padding:4px 0}
.fuzzbow-explanation th,.fuzzbow-explanation td{padding:3px 8px;text-align:right;
 border:0;border-bottom:1px solid var(--line);background:none;color:inherit}
.fuzzbow-explanation th:first-child{text-align:left}
.fuzzbow-explanation thead th{color:var(--soft);font-weight:500}
.fuzzbow-explanation tbody th{font-weight:600}
@container (max-width:520px){
.fuzzbow-explanation .fz-picture{--row:34px;
 grid-template-columns:minmax(0,1.6fr) minmax(48px,1fr) minmax(0,1.6fr)}
.fuzzbow-explanation .fz-row{grid-template:"number name" auto "bar bar" auto/auto minmax(0,1fr);
 align-content:center;gap:2px 6px}
.fuzzbow-explanation .fz-right .fz-row{
 grid-template:"name number" auto "bar bar" auto/minmax(0,1fr) auto}
.fuzzbow-explanation .fz-row .fz-number{grid-area:number;min-width:0;font-size:11.5px;
 color:var(--soft)}
.fuzzbow-explanation .fz-row .fz-name{grid-area:name}
.fuzzbow-explanation .fz-row .fz-bar{grid-area:bar;height:6px}
.fuzzbow-explanation .fz-middle{margin:var(--row) 5px 0}
}
"""
)
