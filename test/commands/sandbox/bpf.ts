/** What seccomp would do: runs a filter of `seccompFilter()` over one system call. */
export function judge(
  filter: Uint8Array,
  call: { architecture: number; number: number; args?: readonly number[] },
): string {
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, call.number, true);
  data.setUint32(4, call.architecture, true);
  for (const [index, arg] of (call.args ?? []).entries()) {
    data.setBigUint64(16 + 8 * index, BigInt.asUintN(64, BigInt(arg)), true);
  }
  const program = new DataView(filter.buffer);
  let word = 0;
  for (let at = 0; at < filter.length / 8; at++) {
    const operand = program.getUint32(at * 8 + 4, true);
    const jump = (isTrue: boolean): number => program.getUint8(at * 8 + (isTrue ? 2 : 3));
    switch (program.getUint16(at * 8, true)) {
      case 0x20:
        word = data.getUint32(operand, true);
        break;
      case 0x15:
        at += jump(word === operand);
        break;
      case 0x35:
        at += jump(word >= operand);
        break;
      case 0x54:
        word = (word & operand) >>> 0;
        break;
      case 0x06:
        return verdictOf(operand);
      default:
        throw new Error(`unknown instruction ${at}`);
    }
  }
  throw new Error("the filter does not end");
}

function verdictOf(value: number): string {
  if (value === 0x7fff0000) return "allow";
  if (value === 0x80000000) return "kill";
  return value >>> 16 === 5 ? `errno ${value & 0xffff}` : `? ${value}`;
}
