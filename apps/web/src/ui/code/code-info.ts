/** The description of a block of code. */
export interface CodeInfo {
  /** Language or file name, as shown. */
  readonly label: string
  /** Language to highlight, in lower case; `undefined` if none is named. */
  readonly language: string | undefined
}

const MAX_LABEL = 120
/** A file name in the description, such as `title="src/app.ts"`. */
const TITLE = /(?:^|\s)(?:title|file|filename|path)=(?:"([^"\n]{1,200})"|'([^'\n]{1,200})'|(\S{1,200}))/iu

/** Reads the text after the opening fence: a language, a file name, or both, as in `ts title="app.ts"` and `ts:src/app.ts`. */
export function readCodeInfo(info: string | undefined): CodeInfo {
  const text = (info ?? '').trim().slice(0, 500)
  const [first = ''] = text.split(/[\s{,]/u)
  const titled = TITLE.exec(text)
  const title = titled?.[1] ?? titled?.[2] ?? titled?.[3]
  const [, prefix, path] = /^([\w+#-]+):(.*[./].*)$/u.exec(first) ?? []
  const file = title ?? path ?? (/[./\\]/u.test(first) ? first : undefined)
  const named = prefix ?? (file === first ? undefined : first)
  const language = named === undefined || named === '' || TITLE.test(named) ? fileLanguage(file) : named
  return {
    label: (file ?? language ?? 'text').slice(0, MAX_LABEL),
    language: language?.toLowerCase(),
  }
}

const FILE_NAMES: ReadonlyMap<string, string> = new Map([
  ['dockerfile', 'dockerfile'],
  ['makefile', 'makefile'],
])

/** Returns the language of a file by its name: its extension. */
export function fileLanguage(file: string | undefined): string | undefined {
  const name = file?.split(/[/\\]/u).at(-1)?.toLowerCase()
  if (name === undefined) return undefined
  const known = FILE_NAMES.get(name)
  if (known !== undefined) return known
  const dot = name.lastIndexOf('.')
  return dot === -1 ? undefined : name.slice(dot + 1)
}
