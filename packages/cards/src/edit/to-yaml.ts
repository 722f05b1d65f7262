import type { Document } from 'yaml'

/**
 * Writes a document in the style of a text: indentation, list indentation, spaces in braces, and line ends.
 */
export function toYaml(document: Document, style: string): string {
  const atMargin = /^( *)[^\s#-][^\n]*:[ \t]*\r?\n\1- /mu.test(style)
  const text = document.toString({
    lineWidth: 0,
    // For lists at the margin, the library removes exactly two columns.
    indent: atMargin ? 2 : Math.min(indentOf(style), 8),
    indentSeq: !atMargin,
    flowCollectionPadding: !/\{\S/u.test(style) || /\{ /u.test(style),
  })
  return style.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text
}

function indentOf(style: string): number {
  const [, first = '', second = ''] = /^( *)[^\s#-][^\n]*:[ \t]*\r?\n( +)[^\s-]/mu.exec(style) ?? []
  return second.length > first.length ? second.length - first.length : 2
}
