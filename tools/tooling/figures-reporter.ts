import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Reporter, TestCase, TestModule } from 'vitest/node'
import { readFigures, updateFigures, type Figure } from './check/figures.ts'

const FILE = path.join(import.meta.dirname, '../requirements/trust/soak.json')

/** Writes the figures of passed tests for the trust page, in place of the earlier figures of the same names. */
export default class FiguresReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const found = tests.flatMap(figuresOf)
    if (found.length === 0) return
    writeFileSync(FILE, `${JSON.stringify(updateFigures(readFigures(FILE), found), undefined, 2)}\n`)
    console.log(`${found.length} figures are in ${path.relative(process.cwd(), FILE)}.`)
  }
}

function figuresOf(test: TestCase): readonly Figure[] {
  if (test.result().state !== 'passed') return []
  const { figures = {} } = test.meta() as { readonly figures?: Readonly<Record<string, number>> }
  const date = new Date().toISOString().slice(0, 10)
  const file = path.relative(process.cwd(), test.module.moduleId).replaceAll(path.sep, '/')
  return Object.entries(figures).map(([name, value]) => ({ name, value, date, test: file }))
}
