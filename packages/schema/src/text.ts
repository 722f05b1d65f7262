// Text: suggestions for misspelt names, lists in messages, visible text, short unique names, ranges of IP addresses.

export { containsAddress, parseAddressRange, type AddressRange } from './text/address-range.ts'
export { closest } from './text/closest.ts'
export { listFirst } from './text/list-first.ts'
export { withHash } from './text/tool-name.ts'
export { hasInvisibleText, visibleText } from './text/visible-text.ts'
