import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { readYamlObject } from '@troupe/cards'
import type { PlanProblem } from '@troupe/host'
import { scriptSchema } from '@troupe/models'
import { errorMessage, isJsonObject, type JsonObject } from '@troupe/schema'
import { closest } from '@troupe/schema/text'
import { z } from 'zod'
import {
  EXPECTATION_KEYS,
  EXPECTATION_TYPES,
  expectationSchema,
  UNKNOWN_TYPE,
  type Expectation,
} from './expectation-schema.ts'
import type { TestFile, TestLocation } from './test-file.ts'

type TestFilePath = readonly (string | number)[]

const object = z.record(z.string(), z.json())
const test = z.strictObject({
  name: z.string().min(1),
  input: z.union([z.string(), object], 'expected text or a mapping').optional(),
  expect: z.array(expectationSchema).min(1),
})
const testFile = z
  .strictObject({
    agent: z.string().min(1).optional(),
    script: z.union([z.string().min(1), object], 'expected a script, or the path of one').optional(),
    replay: z.string().min(1).optional(),
    tests: z.array(test).min(1),
  })
  .refine(({ script, replay }) => (script === undefined) !== (replay === undefined), {
    message: 'a test file needs either `script` or `replay`',
  })

const TEST_KEYS = ['agent', 'script', 'replay', 'tests', 'name', 'input', 'expect']
const SCRIPT_KEYS =
  'agents rules when say call tool args fail status retryAfter message delay usage input output cacheRead cacheWrite reasoning'.split(
    ' ',
  )
const MAX_PROBLEMS = 20

/** Reads and checks a test file. Never throws. */
export function readTestFile(path: string): TestFile | { readonly problems: readonly PlanProblem[] } {
  let content: string
  try {
    content = readFileSync(path, 'utf8')
  } catch (error) {
    return { problems: [problem(path, errorMessage(error))] }
  }
  return parseTestFile(content, path)
}

function parseTestFile(
  content: string,
  path: string,
): TestFile | { readonly problems: readonly PlanProblem[] } {
  const read = readYamlObject(content)
  if ('message' in read) return { problems: [problem(path, read.message, read.position)] }
  const parsed = testFile.safeParse(read.value)
  const script = read.value['script']
  const issues = [...(parsed.error?.issues ?? []), ...(isJsonObject(script) ? scriptIssues(script) : [])]
  if (!parsed.success || issues.length > 0) {
    const problems = issues
      .slice(0, MAX_PROBLEMS)
      .flatMap(issueTexts)
      .map((issue) => problem(path, issue.text, read.positionOf(issue.path)))
    return { problems }
  }
  return toTestFile(parsed.data, path, (at) => read.positionOf(at) ?? {})
}

function toTestFile(
  { agent, script, replay, tests }: z.output<typeof testFile>,
  path: string,
  locate: (path: TestFilePath) => TestLocation,
): TestFile {
  const folder = dirname(path)
  return {
    path,
    ...(agent === undefined ? {} : { agent }),
    source: sourceOf({ script, replay }, folder),
    tests: tests.map(({ name, input, expect }, index) => ({
      name,
      ...(input === undefined ? {} : { input }),
      location: locate(['tests', index]),
      expectations: expect.map((expectation: Expectation, at) => ({
        expectation,
        location: locate(['tests', index, 'expect', at]),
      })),
    })),
  }
}

function sourceOf(
  { script, replay }: Pick<z.output<typeof testFile>, 'script' | 'replay'>,
  folder: string,
): TestFile['source'] {
  if (typeof script === 'object') return { kind: 'script', script }
  if (script !== undefined) return { kind: 'script-file', path: resolve(folder, script) }
  return { kind: 'recording', path: resolve(folder, replay ?? '') }
}

/** Returns the issues of a script that is written in the file. */
function scriptIssues(script: JsonObject): readonly z.core.$ZodIssue[] {
  const { error } = scriptSchema.safeParse(script)
  return (error?.issues ?? []).map((issue) => ({ ...issue, path: ['script', ...issue.path] }))
}

interface LocatedText {
  readonly text: string
  readonly path: TestFilePath
}

function issueTexts(issue: z.core.$ZodIssue): readonly LocatedText[] {
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)))
  if (issue.code === 'unrecognized_keys') {
    const known = path[0] === 'script' ? SCRIPT_KEYS : [...TEST_KEYS, ...EXPECTATION_KEYS]
    return issue.keys.map((key) => ({
      text: `Unknown key \`${key}\`${suggestion(key, known)}`,
      path: [...path, key],
    }))
  }
  if (issue.code === 'custom' && issue.message === UNKNOWN_TYPE) {
    const type = String(issue.params?.['type'])
    const text = `Unknown expectation \`${type}\`${suggestion(type, EXPECTATION_TYPES)}`
    return [{ text, path: [...path, type] }]
  }
  const at = path.length === 0 ? '' : `\`${path.join('.')}\`: `
  return [{ text: `${at}${issue.message}.`, path }]
}

function suggestion(word: string, known: readonly string[]): string {
  const near = closest(word, known)
  return near === undefined ? '.' : `; did you mean \`${near}\`?`
}

function problem(file: string, message: string, location: TestLocation = {}): PlanProblem {
  return { severity: 'error', code: 'test_file_invalid', message, file, ...location }
}
