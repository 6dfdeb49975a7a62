/** A WebAssembly file that is embedded in the executable, packed as zstd; the value is its path. */
declare module "*.wasm" {
  const path: string;
  export default path;
}
