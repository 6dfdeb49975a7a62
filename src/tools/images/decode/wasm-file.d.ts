/** A WebAssembly file that is embedded in the executable; the value is its path. */
declare module "*.wasm" {
  const path: string;
  export default path;
}
