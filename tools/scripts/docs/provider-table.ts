import {
  FEATURES,
  PROVIDER_FEATURES,
  type ProviderFeatures,
} from '../../../packages/models/test/provider-features.ts'
import { PROVIDERS, type ProviderEntry } from '../../../packages/models/src/providers/provider-table.ts'

/** Returns the page with its generated tables: the built-in providers, and their features. */
export function withProviderTables(page: string): string {
  return withTable(withTable(page, 'providers', providerTable()), 'features', featureTable())
}

/** Replaces the table between two markers. */
function withTable(page: string, name: string, table: string): string {
  const opening = `<!-- ${name}:start -->`
  const closing = `<!-- ${name}:end -->`
  const start = page.indexOf(opening)
  const end = page.indexOf(closing)
  if (start === -1 || end < start) throw new Error(`The page has no ${opening} … ${closing}.`)
  return `${page.slice(0, start + opening.length)}\n\n${table}\n\n${page.slice(end)}`
}

/** Returns the table of features, with one row for all cases of a provider that share their name. */
function featureTable(): string {
  const rows = new Map([...PROVIDER_FEATURES.values()].map((features) => [nameOf(features), features]))
  const head = ['provider', ...FEATURES]
  return [
    `| ${head.join(' | ')} |`,
    `|${'---|'.repeat(head.length)}`,
    ...Array.from(rows, ([name, features]) => {
      const cells = FEATURES.map((feature) =>
        feature === 'reasoning' ? code(features.reasoning) : features[feature],
      )
      return `| ${[name, ...cells].join(' | ')} |`
    }),
  ].join('\n')
}

function nameOf({ provider, by }: ProviderFeatures): string {
  return by === undefined ? code(provider) : `${code(provider)}, ${by}`
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
