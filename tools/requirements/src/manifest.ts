import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { requirementsSchema, rulingsSchema, SOURCES, type Requirement, type Ruling } from './requirement.ts'

/** The folder of the manifest files. */
export const MANIFEST: string = join(import.meta.dirname, '..', 'manifest')

/** Reads every requirement, by document and number, and the rulings. Rejects if a file does not fit the manifest schema. */
export async function readManifest(): Promise<{
  readonly requirements: readonly Requirement[]
  readonly rulings: readonly Ruling[]
}> {
  const files = await Promise.all([...SOURCES.keys()].map((letter) => readJson(fileOf(letter))))
  return {
    requirements: files.flatMap((file) => requirementsSchema.parse(file)),
    rulings: rulingsSchema.parse(await readJson(join(MANIFEST, 'rulings.json'))),
  }
}

/** Writes the requirements back to their files. */
export async function writeManifest(requirements: readonly Requirement[]): Promise<void> {
  for (const letter of SOURCES.keys()) {
    const rows = requirements.filter((requirement) => requirement.id.startsWith(letter))
    await writeFile(fileOf(letter), toJson(rows))
  }
}

function fileOf(letter: string): string {
  return join(MANIFEST, `${letter.toLowerCase()}.json`)
}

async function readJson(path: string): Promise<unknown> {
  return JSON.parse(await readFile(path, 'utf8'))
}

/** Formats JSON as oxfmt does: one member per line, short lists inline. */
function toJson(rows: readonly Requirement[]): string {
  const texts = rows.map((row) => {
    const members = Object.entries(row).filter(([, value]) => value !== undefined)
    return `  {\n${members.map(([key, value]) => `    ${JSON.stringify(key)}: ${inline(value)}`).join(',\n')}\n  }`
  })
  return `[\n${texts.join(',\n')}\n]\n`
}

function inline(value: unknown): string {
  return Array.isArray(value)
    ? `[${value.map((item) => JSON.stringify(item)).join(', ')}]`
    : JSON.stringify(value)
}
