import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { undocumentedFields } from '../check/undocumented-fields.ts'

it('exported fields without a doc comment are found, also those of other files and of unions', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-fields-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(
    path.join(folder, 'types-1.d.ts'),
    'interface Report {\n  /** The id. */\n  readonly id: string\n  readonly text: string\n  run(): void\n}\ninterface Hidden { a: number }\nexport type { Report as R, Hidden as H }\n',
  )
  writeFileSync(
    path.join(folder, 'index.d.ts'),
    "import { R as Report } from './types-1.js'\ntype Result = Report & ({ readonly ok: true } | {\n  /** Why. */\n  readonly error: string })\nexport { Report, Result }\n",
  )
  expect(undocumentedFields(path.join(folder, 'index.d.ts')).toSorted()).toEqual([
    'Report.run',
    'Report.text',
    'Result.ok',
  ])
})
