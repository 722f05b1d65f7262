import { tempProject } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { citationsOf, collectCitations } from '../src/citations.ts'

// joined at run time, so that the scan of this file does not find a call
const CITE = ['veri', 'fies('].join('')
const [SKIP, TODO] = ['skip', 'todo']

describe('citationsOf', () => {
  it('citationsOf finds the ids of a title, in one line or several', () => {
    const source = `it(\`does \${${CITE}'A1', "B2")}\`, …); it(\`too \${${CITE}\n  'C3',\n  'A1',\n)}\`)`
    expect(citationsOf(source)).toEqual({ ids: ['A1', 'B2', 'C3'], problems: [] })
  })

  it('citationsOf rejects calls that it cannot read', () => {
    expect(citationsOf(`${CITE}...ids)`).problems).toHaveLength(1)
    expect(citationsOf(`${CITE}'A1', other)`).problems).toHaveLength(1)
    expect(citationsOf(`${CITE})`).problems).toHaveLength(1)
  })

  it('citationsOf rejects citations of tests that do not run', () => {
    expect(citationsOf(`it.${SKIP}(\`later \${${CITE}'A1')}\`, …)`).problems).toHaveLength(1)
    expect(citationsOf(`describe.${TODO}(\n  \`later \${${CITE}'A1')}\`)`).problems).toHaveLength(1)
  })
})

describe('collectCitations', () => {
  it('collectCitations reads the tests of packages, apps and examples, and contract suites, and nothing else', async () => {
    const project = await tempProject({
      'packages/a/test/x.test.ts': `${CITE}'A1')`,
      'packages/a/src/x.ts': `${CITE}'A2')`,
      'packages/a/node_modules/b/x.test.ts': `${CITE}'A3')`,
      'packages/testkit/src/contracts/store.ts': `${CITE}'A4')`,
      'apps/web/test/deep/x.test.tsx': `${CITE}'A1', 'A5')`,
      'other/x.test.ts': `${CITE}'A6')`,
    })
    const { files, problems } = await collectCitations(project.path)
    expect(Object.fromEntries(files)).toEqual({
      A1: ['packages/a/test/x.test.ts', 'apps/web/test/deep/x.test.tsx'],
      A4: ['packages/testkit/src/contracts/store.ts'],
      A5: ['apps/web/test/deep/x.test.tsx'],
    })
    expect(problems).toEqual([])
    await project.remove()
  })
})
