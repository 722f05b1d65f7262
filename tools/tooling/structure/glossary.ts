import type { SourceFile } from './source-files.ts'

/** A word that the glossary of CONTRIBUTING replaces, and the word to use. */
interface BannedWord {
  /** Matches one part of an identifier, in lower case, such as `desk` of `RunDesk`. */
  readonly word: string
  readonly use: string
}

const BANNED: readonly BannedWord[] = [
  { word: 'desk', use: 'RunService, or …Context for what a handler is given' },
  { word: 'shelf', use: 'ToolRepository' },
  { word: 'purse', use: 'BudgetLedger' },
  { word: 'pot', use: 'BudgetScope' },
  { word: 'lane', use: 'ProviderLimiter' },
  { word: 'lanes', use: 'ProviderLimiter' },
  { word: 'strikes', use: 'failures' },
  { word: 'patience', use: 'maxWaitMs' },
  { word: 'tape', use: 'recording' },
  { word: 'wish', use: '…Body' },
  { word: 'asked', use: 'a noun, such as request' },
  { word: 'begun', use: 'started' },
  { word: 'told', use: 'emitted, or printed' },
  { word: 'people', use: 'human-input' },
  { word: 'picture', use: 'RunViewState' },
  { word: 'story', use: 'RunViewState' },
  { word: 'stories', use: 'RunViewState' },
  { word: 'folds', use: 'reducers' },
  { word: 'door', use: 'entry point' },
  { word: 'room', use: 'folder' },
]

const USES: ReadonlyMap<string, string> = new Map(BANNED.map(({ word, use }) => [word, use]))
/** Identifiers outside of comments and texts. */
const IDENTIFIER = /[A-Za-z_$][\w$]*/gu
const COMMENT_OR_TEXT = /\/\*[^]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/gu

/** Text between the tags of JSX, which people read as sentences. */
const JSX_TEXT = /(?<=(?<!=)>)[^<>{}()=;:]*(?=[<{])|(?<=\})[^<>{}()=;:]*(?=<)/gu
/** Names in stored files and databases, by the folder that reads and writes them. */
const SERIALISED: readonly { readonly folder: string; readonly identifier: string }[] = [
  { folder: 'packages/cassette/src/', identifier: 'asked' },
  { folder: 'packages/evals/src/', identifier: 'asked' },
  { folder: 'apps/slack/src/', identifier: 'begun' },
  { folder: 'apps/cli/src/', identifier: 'asked' },
  { folder: 'packages/headends/src/evals/', identifier: 'asked' },
]

/** A use of a banned word in an identifier or a file name. */
export interface GlossaryViolation {
  readonly path: string
  readonly identifier: string
  readonly use: string
}

/** Returns the identifiers and file names with a banned word, each once for each file. */
export function glossaryViolations(files: readonly SourceFile[]): readonly GlossaryViolation[] {
  return files.flatMap(({ path, text }) => {
    const name =
      path
        .split('/')
        .at(-1)
        ?.replace(/\.tsx?$/u, '') ?? ''
    const identifiers = new Set([name, ...path.split('/').slice(3, -1)])
    const code = text.replaceAll(COMMENT_OR_TEXT, ' ')
    const withoutProse = path.endsWith('.tsx') ? code.replaceAll(JSX_TEXT, ' ') : code
    for (const [identifier] of withoutProse.matchAll(IDENTIFIER)) identifiers.add(identifier)
    return [...identifiers].flatMap((identifier) => {
      if (isSerialised(path, identifier)) return []
      const use = wordsOf(identifier)
        .map((word) => USES.get(word))
        .find((found) => found !== undefined)
      return use === undefined ? [] : [{ path, identifier, use }]
    })
  })
}

function isSerialised(path: string, identifier: string): boolean {
  return SERIALISED.some((known) => known.identifier === identifier && path.startsWith(known.folder))
}

/** The words of an identifier or a file name, in lower case: `runDesk`, `run-desk` and `RUN_DESK` have the same. */
function wordsOf(identifier: string): readonly string[] {
  return identifier
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/gu, ' ')
    .toLowerCase()
    .split(/[^a-z0-9]+/u)
}
