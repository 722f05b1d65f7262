import { PROVIDERS, type ProviderEntry } from '../../../packages/models/src/providers/provider-table.ts'

const START = '<!-- providers:start -->'
const END = '<!-- providers:end -->'

/** Returns the page with the table of built-in providers between its two markers. */
export function withProviderTable(page: string): string {
  const start = page.indexOf(START)
  const end = page.indexOf(END)
  if (start === -1 || end < start) throw new Error(`The page has no ${START} … ${END}.`)
  return `${page.slice(0, start + START.length)}\n\n${providerTable()}\n\n${page.slice(end)}`
}

function providerTable(): string {
  const rows = [...PROVIDERS].map(([name, entry]) => row(name, entry))
  return ['| provider | package | variables | default base URL |', '|---|---|---|---|', ...rows].join('\n')
}

function row(name: string, entry: ProviderEntry): string {
  const { package: from, defaultBaseURL } = entry
  const cells = [code(name), from === undefined ? '' : code(from), variables(entry), code(defaultBaseURL)]
  return `| ${cells.join(' | ')} |`
}

function variables({ keyVariable, baseURLVariable, optionVariables = [] }: ProviderEntry): string {
  const names = [keyVariable, baseURLVariable, ...optionVariables.map(({ variable }) => variable)]
  const known = names.filter((name) => name !== undefined)
  return known.length === 0 ? 'none' : known.map(code).join(', ')
}

function code(text: string | undefined): string {
  return text === undefined ? 'none' : `\`${text}\``
}
