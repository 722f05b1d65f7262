import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { tempProject } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { troupeIn } from './team.ts'

const card = (facts: string): string =>
  `---\nname: guide\ndescription: Answers.\nmodel: script/${facts}.script.yaml\n---\nAnswer.\n`
const FILES: Readonly<Record<string, string>> = {
  'team/guide.md': card('good'),
  'team/good.script.yaml': 'rules: [{ when: open, say: We open at nine. }]',
  'team/bad.script.yaml': 'rules: [{ when: open, say: I do not know. }]',
  'team/hours.eval.yaml':
    'agent: guide\ncases: [{ id: hours, input: When do you open?, repeat: 6, assert: [{ contains: nine }] }]\n',
  '.gitignore': 'troupe.env\n',
}

describe('troupe eval --compare with a git ref', () => {
  it('compares the working tree with the cards of a commit, and changes nothing in the repository', async () => {
    const folder = await tempProject(FILES)
    onTestFinished(() => folder.remove())
    const git = (...args: readonly string[]): string =>
      execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.org', ...args], {
        cwd: folder.path,
        encoding: 'utf8',
      })
    git('init', '--quiet', '--initial-branch=main')
    git('add', '.')
    git('commit', '--quiet', '-m', 'first')
    const evaluate = (...args: readonly string[]): ReturnType<typeof troupeIn> =>
      troupeIn(folder.path, ['eval', 'team', '--quiet', ...args], { TMPDIR: folder.path })
    const same = await evaluate('--compare', 'main')
    expect(same.out).toContain('Compared with main: not distinguishable (p = 1.000).')
    expect(same.code).toBe(0)

    await folder.write('team/guide.md', card('bad'))
    const status = git('status', '--porcelain')
    const worse = await evaluate('--compare', 'main')
    expect(worse.out).toContain('Compared with main: worse (p = 0.002).')
    expect(worse.code).toBe(3)
    expect(git('status', '--porcelain')).toBe(status)
    expect(readdirSync(folder.path).filter((name) => name.startsWith('troupe-eval-'))).toEqual([])

    const unknown = await evaluate('--compare', 'no-such-branch')
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('there is no such branch')])
    const option = await evaluate('--compare=--output=hacked')
    expect(option.code).toBe(2)
    expect(existsSync(`${folder.path}/hacked`)).toBe(false)

    const json = await evaluate('--json')
    expect(json.out).toContain(`"commit": "${git('rev-parse', 'HEAD').trim()}"`)
  })
})
