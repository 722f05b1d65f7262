import type { LanguageFn } from 'highlight.js'

/** Loads a grammar. Each is a file of its own. */
type LoadGrammar = () => Promise<{ readonly default: LanguageFn }>

/** The grammars by name. */
export const GRAMMARS: ReadonlyMap<string, LoadGrammar> = new Map<string, LoadGrammar>([
  ['bash', () => import('highlight.js/lib/languages/bash')],
  ['c', () => import('highlight.js/lib/languages/c')],
  ['cpp', () => import('highlight.js/lib/languages/cpp')],
  ['csharp', () => import('highlight.js/lib/languages/csharp')],
  ['css', () => import('highlight.js/lib/languages/css')],
  ['diff', () => import('highlight.js/lib/languages/diff')],
  ['dockerfile', () => import('highlight.js/lib/languages/dockerfile')],
  ['go', () => import('highlight.js/lib/languages/go')],
  ['graphql', () => import('highlight.js/lib/languages/graphql')],
  ['ini', () => import('highlight.js/lib/languages/ini')],
  ['java', () => import('highlight.js/lib/languages/java')],
  ['javascript', () => import('highlight.js/lib/languages/javascript')],
  ['json', () => import('highlight.js/lib/languages/json')],
  ['kotlin', () => import('highlight.js/lib/languages/kotlin')],
  ['lua', () => import('highlight.js/lib/languages/lua')],
  ['makefile', () => import('highlight.js/lib/languages/makefile')],
  ['markdown', () => import('highlight.js/lib/languages/markdown')],
  ['perl', () => import('highlight.js/lib/languages/perl')],
  ['php', () => import('highlight.js/lib/languages/php')],
  ['powershell', () => import('highlight.js/lib/languages/powershell')],
  ['python', () => import('highlight.js/lib/languages/python')],
  ['r', () => import('highlight.js/lib/languages/r')],
  ['ruby', () => import('highlight.js/lib/languages/ruby')],
  ['rust', () => import('highlight.js/lib/languages/rust')],
  ['scss', () => import('highlight.js/lib/languages/scss')],
  ['sql', () => import('highlight.js/lib/languages/sql')],
  ['swift', () => import('highlight.js/lib/languages/swift')],
  ['typescript', () => import('highlight.js/lib/languages/typescript')],
  ['xml', () => import('highlight.js/lib/languages/xml')],
  ['yaml', () => import('highlight.js/lib/languages/yaml')],
])

/** Other names of the grammars, mostly file extensions. */
const ALIASES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    bash: 'sh shell zsh console shellsession',
    c: 'h',
    cpp: 'c++ cc cxx hpp hh',
    csharp: 'cs c#',
    diff: 'patch',
    dockerfile: 'docker',
    go: 'golang',
    graphql: 'gql',
    ini: 'toml cfg conf properties env',
    javascript: 'js jsx mjs cjs',
    json: 'json5 jsonc jsonl ndjson',
    kotlin: 'kt kts',
    makefile: 'make mk',
    markdown: 'md mdx',
    perl: 'pl',
    powershell: 'ps1 pwsh ps',
    python: 'py python3 py3',
    ruby: 'rb',
    rust: 'rs',
    typescript: 'ts tsx mts cts',
    xml: 'html xhtml svg vue rss plist',
    yaml: 'yml',
  }).flatMap(([name, aliases]) => aliases.split(' ').map((alias) => [alias, name] as const)),
)

/** Returns the name of the grammar of a language. */
export function grammarName(language: string): string {
  return ALIASES.get(language) ?? language
}
