/**
 * Returns the address that a client is counted by: an IPv4 address unchanged, an IPv6 address reduced to its
 * first 64 bits, because one client may use all addresses below them.
 */
export function clientAddress(remoteAddress: string | undefined): string {
  if (remoteAddress === undefined) return ''
  const address = remoteAddress
    .toLowerCase()
    .replace(/%.*$/u, '')
    .replace(/^::ffff:(?=\d+\.)/u, '')
  if (!address.includes(':')) return address
  const [head = '', tail = ''] = address.split('::')
  const first = groupsOf(head)
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - groupsOf(tail).length) }, () => '0')
  return `${[...first, ...zeros, ...groupsOf(tail)].slice(0, 4).join(':')}::/64`
}

function groupsOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(':')
}
