// Text: suggestions for misspelt names, visible text, short unique names, ranges of IP addresses.

export { containsAddress, parseAddressRange, type AddressRange } from './text/address-range.ts'
export { closest } from './text/closest.ts'
export { withHash } from './text/tool-name.ts'
export { hasInvisibleText, visibleText } from './text/visible-text.ts'
