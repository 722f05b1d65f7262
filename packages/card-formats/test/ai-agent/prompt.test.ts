import { execFileSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { localFiles, readCard } from '@troupe/cards'
import { tempProject, verifies } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { CARD_FORMATS } from '../../src/index.ts'
import { convertCard, errorsOf, parseCard } from '../cards.ts'
import { ai, read } from './project.ts'

describe('the template of a prompt', () => {
  it(`a prompt includes files relative to the file that names them ${verifies('R4')}`, async () => {
    const { definition, problems } = await read({
      'team/a.ai': ai(
        '',
        'A {% render \'parts/b.md\' %} {%- include "../shared/c.md" -%} {% if true %}D{% endif %}',
      ),
      'team/parts/b.md': 'B({% render "deep.md" %})',
      'team/parts/deep.md': 'deep',
      'shared/c.md': 'C',
      '.ai-agent.json': {},
    })
    expect(problems).toEqual([])
    expect(definition?.instruction).toBe('A B(deep)CD')
  })

  it('a prompt includes files of its own folder only, unless the workspace is its project', async () => {
    const card = await read({ 'team/a.ai': ai('', '{% render "../shared/c.md" %}'), 'shared/c.md': 'C' })
    expect(errorsOf(card)[0]).toContain('outside the folder of the project')
  })

  it.each([
    ['a missing file', '{% render "gone.md" %}', 'the file does not exist'],
    ['a variable', 'Hello {{ name }}', 'undefined variable: name'],
    ['a path that is computed', '{% render name %}', 'needs a path in quotes'],
    ['an absolute path', '{% render "/etc/hostname" %}', 'outside the folder'],
    ['a file with secrets', '{% render ".env" %}', 'files with variables'],
    ['a file with secrets', '{% render ".ai-agent.env" %}', 'files with variables'],
    ['a file that includes itself', '{% render "self.md" %}', 'more than 8 files'],
    ['a huge range', '{% for i in (1..1000000000) %}x{% endfor %}', 'memory alloc limit'],
    ['a template of another kind', '{% layout "self.md" %}', 'Failed to lookup'],
    ['an unknown tag', '{% exec "ls" %}', 'tag "exec" not found'],
  ])('a prompt that cannot be rendered is an error: %s', async (_name, body, message) => {
    const card = await read({
      'team/a.ai': ai('', body),
      'team/self.md': '{% render "self.md" %}',
      'team/.env': 'KEY=secret',
      'team/.ai-agent.env': 'KEY=secret',
    })
    expect(card.definition).toBeUndefined()
    expect(card.problems).toMatchObject([{ code: 'card_include', severity: 'error' }])
    expect(card.problems[0]?.message).toContain(message)
  })

  it('a link does not lead a prompt out of its folder', async () => {
    const project = await tempProject({
      'team/a.ai': ai('', '{% render "link.md" %}'),
      'secret.md': 'secret',
    })
    onTestFinished(() => project.remove())
    symlinkSync(join(project.path, 'secret.md'), join(project.path, 'team/link.md'))
    const card = readCard(join(project.path, 'team/a.ai'), { formats: CARD_FORMATS })
    expect(card.problems[0]?.message).toContain('it is outside of')
  })

  it.skipIf(process.platform === 'win32')('a prompt that includes a pipe does not block', async () => {
    const project = await tempProject({ 'team/a.ai': ai('', '{% render "pipe.md" %}') })
    onTestFinished(() => project.remove())
    execFileSync('mkfifo', [join(project.path, 'team/pipe.md')])
    const card = readCard(join(project.path, 'team/a.ai'), { formats: CARD_FORMATS })
    expect(card.problems[0]?.message).toContain('it is not a file')
  })

  it('the variables of ai-agent are filled in, and markers get a block at the end', async () => {
    const { definition } = await read({
      'team/a.ai': ai(
        'maxTurns: 4\noutput: {format: json}',
        '${FORMAT} ${DATETIME} ${DAY} ${MAX_TURNS} ${OTHER} XML-NEXT.FORMAT',
      ),
    })
    const [first, ...rest] = definition?.instruction.split('\n') ?? []
    expect(first).toBe('JSON 2026-03-04 Wednesday 4 ${OTHER} XML-NEXT.FORMAT')
    expect(rest.join('\n')).toContain(
      'Date: 2026-03-04 (Wednesday), time zone UTC\nFormat of the answer: JSON',
    )
  })
})

it('a date stays a variable in a converted prompt, with a comment that says so', () => {
  const text = '---\ndescription: d\n---\nIt is ${DATETIME}, ${FORMAT}.\n'
  const [card] = convertCard(text, { path: '/p/a.ai' }).cards
  expect(card?.text).toContain('It is ${DATETIME}, Markdown.')
  expect(card?.text).toMatch(/^# +\(prompt\) \$\{DATETIME\}: it stays in the prompt/mu)
})

it(`a converted prompt is complete without its project and holds no value of the env file ${verifies('R4')}`, async () => {
  const files = {
    'team/a.ai': ai('tools: s', '{% render "b.md" %}'),
    'team/b.md': 'B',
    'team/.ai-agent.json': { mcpServers: { s: { command: 'x', env: { KEY: '${KEY}' } } } },
    'team/.ai-agent.env': 'KEY=very-secret',
  }
  const { definition, folder } = await read(files)
  const path = join(folder, 'team/a.ai')
  const format = CARD_FORMATS.formats.find(({ name }) => name === 'ai-agent')
  expect(format?.envFiles?.(path, { workspace: folder })).toEqual([
    '/etc/ai-agent/ai-agent.env',
    join(folder, 'team/.ai-agent.env'),
    join(folder, '.ai-agent.env'),
  ])
  const { cards } = convertCard(files['team/a.ai'], { path, ...localFiles(path), workspace: folder })
  const text = cards[0]?.text ?? ''
  expect(text).not.toContain('very-secret')
  expect(parseCard(text, { path: join(folder, 'team/b.md') }).definition?.digest).toBe(definition?.digest)
})
