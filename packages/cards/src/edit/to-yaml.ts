import type { Document } from 'yaml'

/** The document in the habits of a text: how deep it indents, whether lists are indented, whether braces have room, how lines end. */
export function toYaml(document: Document, style: string): string {
  const atMargin = /^( *)[^\s#-][^\n]*:[ \t]*\r?\n\1- /mu.test(style)
  const text = document.toString({
    lineWidth: 0,
    // of a list at the margin exactly two are taken off
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
