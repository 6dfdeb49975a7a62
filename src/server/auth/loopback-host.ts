const octet = "(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)";
const loopbackIpv4 = new RegExp(`^127(?:\\.${octet}){3}$`);

/**
 * Whether `host` can only mean this machine: `localhost`, 127.0.0.0/8 in four numbers, or `::1` in any spelling,
 * with or without brackets. Other spellings (`127.1`, `0x7f000001`) are not recognised, which is the safe side.
 */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase();
  return name === "localhost" || loopbackIpv4.test(name) || isLoopbackIpv6(name);
}

function isLoopbackIpv6(name: string): boolean {
  const address = name.startsWith("[") && name.endsWith("]") ? name.slice(1, -1) : name;
  // Only what looks like an address goes into the URL, where anything else could mean something.
  return /^[0-9a-f:.]+$/.test(address) && URL.parse(`http://[${address}]`)?.hostname === "[::1]";
}
