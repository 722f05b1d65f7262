import matter from 'gray-matter'
import { troupeError } from '@troupe/schema'
import { readPlainDocument, readYaml, type YamlDocument, type YamlProblem } from '../yaml/yaml.ts'

/** The engine for everything but YAML. The fence check lets nothing of the kind come here; if it did, nothing would run. */
function refuse(): never {
  throw troupeError('card_syntax', 'Front matter is YAML; no other language is allowed.')
}

/**
 * Reads front matter whose fences were checked: `block` is everything from the opening to the closing `---`, and begins
 * with line `firstLine` of the file. This is the only place that calls gray-matter. It always passes options: without
 * them gray-matter caches, and shares what it parsed.
 */
export function readFrontMatter(block: string, firstLine: number): YamlDocument | YamlProblem {
  return readPlainBlock(block, firstLine) ?? readAnyBlock(block, firstLine)
}

const FENCE = '---'

/** What stands between two bare fences, where it is plain. The text begins with the end of the first line, as that of gray-matter does. */
function readPlainBlock(block: string, firstLine: number): YamlDocument | undefined {
  return readPlainDocument(block.slice(FENCE.length, -FENCE.length), firstLine)
}

function readAnyBlock(block: string, firstLine: number): YamlDocument | YamlProblem {
  let read: YamlDocument | YamlProblem | undefined
  const file = matter(block, {
    language: 'yaml',
    engines: {
      yaml: (text) => (read = readYaml(text, firstLine)),
      json: refuse,
      js: refuse,
      javascript: refuse,
      coffee: refuse,
      coffeescript: refuse,
      cson: refuse,
      toml: refuse,
    },
  })
  if (read !== undefined) return read
  // gray-matter calls no engine for a block of comments only; for a language such as `constructor` it calls what it finds
  return file.language === 'yaml' || file.language === 'yml' ? NOTHING : refuse()
}

const NOTHING: YamlDocument = { value: undefined, positionOf: () => undefined }
