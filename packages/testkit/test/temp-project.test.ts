import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempProject } from '../src/internal.ts'

describe('tempProject', () => {
  it('tempProject writes a tree, accepts further files and removes everything', async () => {
    const project = await tempProject({ 'agents/a.md': 'one', 'troupe.json': '{}' })
    await project.write('deep/er/b.md', 'two')
    expect(await readFile(join(project.path, 'agents', 'a.md'), 'utf8')).toBe('one')
    expect(await project.read('deep/er/b.md')).toBe('two')
    await project.remove()
    expect(existsSync(project.path)).toBe(false)
  })

  it.each([['../outside'], ['/etc/outside'], ['.'], ['a/../../outside']])(
    'tempProject rejects the path %s',
    async (file) => {
      const project = await tempProject()
      await expect(project.write(file, '')).rejects.toMatchObject({ code: 'usage_invalid' })
      await project.remove()
    },
  )
})
