/** What of WebAssembly is used; Node has it, its types do not. */
declare const WebAssembly: {
  Module: new (code: Uint8Array<ArrayBuffer>) => object;
  Instance: new (module: object) => { exports: unknown };
};

/** @returns what a module exports, which its maker knows */
export function load<Exports>(code: Uint8Array<ArrayBuffer>): Exports {
  return new WebAssembly.Instance(new WebAssembly.Module(code)).exports as Exports;
}
