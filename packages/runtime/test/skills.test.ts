import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { resultText } from '@troupe/schema'
import { tempProject, verifies } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createRuntime, loadSkills, type LoadedSkills } from '../src/index.ts'
import { openRuntime, realClock } from './support/open-runtime.ts'

const skill = (name: string, description = 'Helps with it.', body = 'Do it well.'): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}\n`

async function load(
  files: Readonly<Record<string, string>>,
  ...entries: readonly string[]
): Promise<LoadedSkills> {
  const project = await tempProject(files)
  onTestFinished(() => project.remove())
  return loadSkills(entries, project.path)
}

describe('skills of a card', () => {
  it('loadSkills accepts a folder with SKILL.md, or a folder of such folders, by name', async () => {
    const { skills, problems } = await load(
      {
        'b/SKILL.md': skill('b'),
        'all/z/SKILL.md': skill('z'),
        'all/a/SKILL.md': skill('a'),
        'all/x.txt': '',
      },
      'b',
      './all',
    )
    expect(problems).toEqual([])
    expect(skills.map(({ name }) => name)).toEqual(['b', 'a', 'z'])
  })

  it('loadSkills uses the folder name for a skill without a name', async () => {
    const { skills } = await load(
      { 'pdf-forms/SKILL.md': '---\ndescription: Fills forms.\n---\nx' },
      'pdf-forms',
    )
    expect(skills).toMatchObject([{ name: 'pdf-forms', description: 'Fills forms.' }])
  })

  it('loadSkills normalizes names and warns about it', async () => {
    const { skills, problems } = await load(
      { 's/a/SKILL.md': skill('Fill Forms'), 's/Pdf_Tables/SKILL.md': '---\ndescription: d\n---\n' },
      's',
    )
    expect(skills.map(({ name }) => name).toSorted()).toEqual(['fill-forms', 'pdf-tables'])
    expect(problems.map(({ severity }) => severity)).toEqual(['warning', 'warning'])
    expect(problems.map(({ message }) => message).join('\n')).toContain(
      'name: "Fill Forms" was changed to fill-forms (',
    )
  })

  it('loadSkills reports an error if a folder is missing or contains no skill', async () => {
    const { problems } = await load({ 'empty/readme.md': '', 'file/x': '' }, 'empty', 'gone', 'file/x')
    expect(problems.map(({ severity, entry, file }) => [severity, entry, file])).toEqual([
      ['error', 0, undefined],
      ['error', 1, undefined],
      ['error', 2, undefined],
    ])
    expect(problems[0]?.message).toBe('skills: "empty" contains no SKILL.md, and neither do its subfolders.')
  })

  it('loadSkills skips invalid skills with file and line, and loads the valid ones', async () => {
    const { skills, problems } = await load(
      {
        's/good/SKILL.md': skill('good'),
        's/code/SKILL.md': '---js\n({ name: globalThis.PWNED = 1 })\n---\n',
        's/name/SKILL.md': '---\ndescription: d\nname: "../evil"\n---\n',
        's/none/SKILL.md': '---\nname: none\n---\n',
        's/twice/SKILL.md': skill('good'),
        's/yaml/SKILL.md': '---\nname: [\n---\n',
      },
      's',
    )
    expect(skills.map(({ name }) => name)).toEqual(['good'])
    expect(globalThis).not.toHaveProperty('PWNED')
    expect(problems.map(({ severity, file, line }) => [severity, file?.split('/').at(-2), line])).toEqual([
      ['warning', 'code', 1],
      ['warning', 'name', 3],
      ['warning', 'none', 1],
      ['warning', 'twice', undefined],
      ['warning', 'yaml', expect.any(Number)],
    ])
  })

  it('loadSkills reduces a description to one line without invisible characters', async () => {
    const hidden = String.fromCodePoint(0xe0041, 0x202e)
    const { skills, problems } = await load(
      { 'a/SKILL.md': skill('a', `>-\n  Reads${hidden}\n  files. ${'x'.repeat(2000)}`) },
      'a',
    )
    expect(skills[0]?.description).toMatch(/^Reads files\. x+$/u)
    expect(skills[0]?.description).toHaveLength(1024)
    expect(problems).toMatchObject([{ severity: 'warning', line: 3 }])
  })
})

describe('skill.read', () => {
  const files = {
    'skills/pdf/SKILL.md': skill('pdf', 'Fills PDF forms.', 'First read forms.md.'),
    'skills/pdf/forms.md': 'About forms.',
    'skills/pdf/scripts/fill.py': 'print(1)',
    'secret.txt': 'what lies outside',
  }
  const open = (): ReturnType<typeof openRuntime> =>
    openRuntime(files, { skills: (path) => loadSkills(['skills'], path).skills })

  it('skill.read returns the text of a skill and the list of its files', async () => {
    const { call, project } = await open()
    expect(resultText(await call('skill.read', { name: 'pdf' }))).toBe(
      [
        'First read forms.md.',
        '',
        'Files of this skill (read them with `path`):',
        '- forms.md',
        '- scripts/fill.py',
        `The folder of the skill is ${join(project.path, 'skills/pdf')}`,
      ].join('\n'),
    )
    expect(resultText(await call('skill.read', { name: 'pdf', path: 'forms.md' }))).toBe('About forms.')
  })

  it('skill.read shows the folder only to agents that can run commands in it', async () => {
    const { call } = await openRuntime(files, {
      skills: (path) => loadSkills(['skills'], path).skills,
      runtimeTools: ['skills'],
    })
    expect(resultText(await call('skill.read', { name: 'pdf' }))).not.toContain('lies in')
  })

  it('skill.read returns the text of a skill that is part of the card, which has no files', async () => {
    const text = 'Open from nine to five.'
    const { skills, problems } = loadSkills([{ name: 'Opening Hours', description: 'When.', text }], '/')
    expect(problems).toMatchObject([{ severity: 'warning', entry: 0 }])
    const { call } = await openRuntime({}, { skills: () => skills })
    expect(resultText(await call('skill.read', { name: 'opening-hours' }))).toBe(text)
    const other = await call('skill.read', { name: 'opening-hours', path: '/etc/passwd' })
    expect(other.failure?.code).toBe('skill_unknown')
  })

  it('skill.read never leaves the folder of the skill', async () => {
    const { call, project } = await open()
    await symlink('../../secret.txt', join(project.path, 'skills/pdf/link.md'))
    for (const path of ['../../secret.txt', 'link.md', '/etc/passwd', '..'])
      expect((await call('skill.read', { name: 'pdf', path })).failure?.code).toBe('filesystem_denied')
    expect((await call('skill.read', { name: 'pdf', path: 'none.md' })).failure).toMatchObject({
      code: 'skill_unknown',
      message: 'The skill pdf: "none.md" does not exist in the folder of the skill.',
    })
    expect((await call('skill.read', { name: 'toString' })).failure?.code).toBe('tool_bad_arguments')
  })

  it(`skill.read is announced in the system prompt by name and description only ${verifies('B43')}`, async () => {
    const { skills } = await load(files, 'skills')
    const runtime = createRuntime({
      root: '/',
      team: { folders: [], secrets: [] },
      baseEnv: {},
      clock: realClock,
    })
    const tools = runtime.tools({ runtimeTools: [], limits: { toolTimeout: 1000 } }, skills)
    expect(tools).toMatchObject([
      { name: 'skill.read', wireName: 'skill_read', source: 'runtime', server: 'runtime', effect: 'read' },
    ])
    expect(tools[0]?.instructions).toMatch(/skill_read\.\n- pdf: Fills PDF forms\.$/u)
  })
})
