/** An IP address, or a range of them that have the first bits in common. */
export interface AddressRange {
  readonly value: bigint
  /** 32 for IPv4, 128 for IPv6. */
  readonly size: 32 | 128
  /** Number of bits that all addresses of the range have in common. */
  readonly prefix: number
}

/**
 * Parses an IP address, with or without brackets, or a range such as `10.0.0.0/8` and `fc00::/7`. An IPv6
 * address that stands for an IPv4 address, such as `::ffff:10.0.0.1`, is that address. `undefined` if the text is neither.
 */
export function parseAddressRange(text: string): AddressRange | undefined {
  const [, written = '', length] = /^([^/]*)(?:\/(\d{1,3}))?$/u.exec(text.trim()) ?? []
  const address = parseIPv4(written) ?? parseIPv6(written)
  if (address === undefined) return undefined
  const { value, size } = address
  const prefix = length === undefined ? size : Number(length)
  if (prefix > size) return undefined
  const isMapped = size === 128 && value >> 32n === 0xffffn
  return isMapped
    ? { value: value & 0xffffffffn, size: 32, prefix: Math.max(0, prefix - 96) }
    : { value, size, prefix }
}

/** Returns true if every address of `inner` is in `range`. IPv4 and IPv6 ranges do not contain each other. */
export function containsAddress(range: AddressRange, inner: AddressRange): boolean {
  if (range.size !== inner.size || range.prefix > inner.prefix) return false
  const others = BigInt(range.size - range.prefix)
  return range.value >> others === inner.value >> others
}

type Address = Pick<AddressRange, 'value' | 'size'>

function parseIPv4(text: string): Address | undefined {
  if (!/^\d{1,3}(?:\.\d{1,3}){3}$/u.test(text)) return undefined
  const bytes = text.split('.').map(Number)
  if (bytes.some((byte) => byte > 255)) return undefined
  return { value: bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n), size: 32 }
}

function parseIPv6(text: string): Address | undefined {
  const plain = text.replace(/^\[(.*)\]$/u, '$1')
  if (!plain.includes(':') || !/^[\da-f:.]+$/iu.test(plain)) return undefined
  // The URL parser writes all forms as groups of hexadecimal digits, with at most one `::`.
  const host = URL.parse(`http://[${plain}]`)?.hostname
  if (host === undefined) return undefined
  const [left = [], right = []] = host
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''))
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0')
  const digits = [...left, ...zeros, ...right].map((group) => group.padStart(4, '0')).join('')
  return { value: BigInt(`0x${digits}`), size: 128 }
}
