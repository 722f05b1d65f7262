// Text: suggestions for misspelt names, visible text, short unique names.

export { closest } from './text/closest.ts'
export { withHash } from './text/tool-name.ts'
export { hasInvisibleText, visibleText } from './text/visible-text.ts'
