import { ALL_FORMATS } from './cards.ts'
import type { CardFormat, FieldRow } from '@troupe/cards/formats'

/** Returns the page with a table of fields between the markers of each dialect of another product. */
export function withDialectTables(page: string): string {
  return ALL_FORMATS.slice(1).reduce(withTable, page)
}

function withTable(page: string, dialect: CardFormat): string {
  const start = `<!-- ${dialect.name}:start -->`
  const from = page.indexOf(start)
  const to = page.indexOf(`<!-- ${dialect.name}:end -->`)
  if (from === -1 || to < from)
    return `${page.trimEnd()}\n\n## ${dialect.product}\n\n${start}\n<!-- ${dialect.name}:end -->\n`
  return `${page.slice(0, from + start.length)}\n\n${tableOf(dialect)}\n\n${page.slice(to)}`
}

function tableOf({ name, pathPatterns, rows }: CardFormat): string {
  const head = `\`dialect: ${name}\`; files: ${pathPatterns.map((place) => `\`${place}\``).join(', ')}.`
  return [head, '', '| field | effect | Troupe key | note |', '|---|---|---|---|', ...rows.map(rowOf)].join(
    '\n',
  )
}

function rowOf({ key, status, problem, to, reason }: FieldRow): string {
  const effect = problem === undefined ? status : problem === 'error' ? 'error' : `${status}, warning`
  const cells = [`\`${key}\``, effect, to === undefined ? '' : code(to), reason ?? '']
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

function code(to: string): string {
  return to === 'see below'
    ? to
    : to
        .split(', ')
        .map((path) => `\`${path}\``)
        .join(', ')
}
