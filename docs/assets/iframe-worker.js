// The theme searches in a worker, which browsers refuse to pages that are opened from a folder
// (file://). There the worker's script runs in a hidden frame instead.

if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    #unsent = [];
    #inside = null;

    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      const script = document.createElement("script");
      script.src = url;
      frame.hidden = true;
      frame.srcdoc = script.outerHTML;
      frame.addEventListener("load", () => {
        this.#inside = frame.contentWindow;
        this.#inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
        this.#unsent.splice(0).forEach((data) => this.postMessage(data));
      });
      document.body.append(frame);
    }

    postMessage(data) {
      if (this.#inside === null) this.#unsent.push(data);
      else this.#inside.dispatchEvent(new this.#inside.MessageEvent("message", { data }));
    }
  };
  window.Worker = window.IFrameWorker;
}
