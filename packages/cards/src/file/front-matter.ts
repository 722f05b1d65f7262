import matter from 'gray-matter'
import { troupeError } from '@troupe/schema'
import { readYaml, type YamlDocument, type YamlProblem } from '../yaml/yaml.ts'

/**
 * Rejects engines other than YAML. The fence check lets no other language through; this makes sure that
 * nothing is executed.
 */
function refuse(): never {
  throw troupeError('card_syntax', 'Front matter must be YAML; other languages are not allowed.')
}

/**
 * Reads front matter with valid fences. `block` is the text from the opening to the closing `---` and begins
 * with line `firstLine` of the file. Only this function calls gray-matter, always with options, without which
 * gray-matter caches and shares its results.
 */
export function readFrontMatter(block: string, firstLine: number): YamlDocument | YamlProblem {
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
  // gray-matter calls no engine for a block of comments only, and an inherited property for a language such
  // as `constructor`.
  return file.language === 'yaml' || file.language === 'yml' ? NOTHING : refuse()
}

const NOTHING: YamlDocument = { value: undefined, positionOf: () => undefined }
