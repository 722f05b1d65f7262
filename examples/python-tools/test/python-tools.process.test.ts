import path from 'node:path'
import { collectRun, expectRun } from '@troupe/testkit'
import { HAS_PYTHON, PYTHON_NOTE } from '@troupe/testkit/internal'
import { createHost } from 'troupe'
import { expect, it, onTestFinished } from 'vitest'

it.skipIf(!HAS_PYTHON)(
  `a card of fast-agent calls Python functions, and reads the error of a bad argument${PYTHON_NOTE}`,
  async () => {
    const folder = path.join(import.meta.dirname, '..')
    const host = await createHost({ cards: [folder], cwd: folder, env: { PATH: process.env['PATH'] } })
    onTestFinished(() => host.close())
    expect(host.plan().problems).toEqual([])
    const run = await collectRun(host.stream('cook', 'Two cups of flour, for six'))
    expectRun(run)
      .toComplete()
      .toContain('Two cups are 240 g. For six: 360 g and 3 eggs.')
      .toContain('the amount must be positive')
  },
)
