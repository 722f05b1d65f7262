import { cp, readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openReports, REPORT_FOLDER, type EvalResult } from '@troupe/evals'
import { describe, expect, it } from 'vitest'
import { project, troupe, troupeIn } from './team.ts'

const EXAMPLE = join(import.meta.dirname, '../../../examples/eval-desk')

const TEAM: Readonly<Record<string, string>> = {
  'guide.md':
    '---\nname: guide\ndescription: Answers.\nmodel: script/guide.script.yaml\ndefault: true\nfunctionTools: [tools.mjs:find]\nrequiresApproval: [find]\n---\nAnswer.\n',
  'guide.script.yaml': [
    'rules:',
    '  - { when: open, say: We open at nine. }',
    '  - { when: order, call: [{ tool: find, args: { id: "17" } }] }',
    "  - { when: order, say: 'The order {{results.0.text}}.' }",
  ].join('\n'),
  'tools.mjs': 'export const find = () => "was found"\nfind.effect = "read"\n',
}

const cases = (...lines: readonly string[]): string => ['agent: guide', 'cases:', ...lines].join('\n')
const GOOD = '  - { id: hours, input: When do you open?, assert: [{ contains: nine }] }'
const BAD = '  - { id: dogs, input: Are dogs welcome when you open?, assert: [{ contains: dogs }] }'

describe('troupe eval', () => {
  it('prints a row for each case and exits with 0 if all passed', async () => {
    const { code, out, err } = await troupe(['eval', 'a.eval.yaml', '--repeat', '2'], {
      ...TEAM,
      'a.eval.yaml': cases(GOOD),
    })
    expect(out()).toMatch(/^hours +2\/2 +100 % \(34–100 %\) +\$0\.00 /mu)
    expect(out()).toContain('Model calls: 2 made to models, 0 answered from recordings.')
    expect(err().trim().split('\n')).toEqual(['1/2 hours: passed', '2/2 hours: passed'])
    expect(code).toBe(0)
  })

  it('saves each report beside the case files unless --no-save is given', async () => {
    const { path } = await project({ ...TEAM, 'a.eval.yaml': cases(GOOD, BAD) })
    const { code } = await troupeIn(path, ['eval', 'a.eval.yaml', '--quiet'])
    await troupeIn(path, ['eval', 'a.eval.yaml', '--quiet', '--no-save'])
    const reports = openReports([join(path, REPORT_FOLDER)])
    const [saved, ...others] = await reports.list()
    expect([code, others]).toEqual([3, []])
    expect(saved).toMatchObject({ agent: 'guide', caseFiles: ['a.eval.yaml'] })
    const report = await reports.read(saved?.id ?? '')
    const failed = report?.variants[0]?.cases[1]?.repeats[0]
    expect(failed?.status).toBe('failed')
    const events = await reports.events(saved?.id ?? '', failed?.runId ?? '')
    expect(events?.at(-1)?.type).toBe('run-end')
    const compared = await troupeIn(path, [
      'eval',
      'a.eval.yaml',
      '--quiet',
      '--compare',
      `${REPORT_FOLDER}/${saved?.id}.json`,
    ])
    expect(compared.out).toContain('not distinguishable')
  })

  it('exits with 3 if a case failed, and says why', async () => {
    const { code, out } = await troupe(['eval', 'a.eval.yaml', '--quiet'], {
      ...TEAM,
      'a.eval.yaml': cases(GOOD, BAD),
    })
    expect(out()).toMatch(/^dogs +0\/1 +0 % /mu)
    expect(out()).toContain('✗ contains "dogs" (1 of 1): the answer is "We open at nine."')
    expect(code).toBe(3)
  })

  it('exits with 2 for a wrong case file, with the position of each mistake', async () => {
    const { code, err, out } = await troupe(['eval', '.'], {
      ...TEAM,
      'a.eval.yaml': 'agent: guide\ncases:\n  - id: a\n    inptu: x\n    assert: [{ contians: y }]\n',
    })
    expect(err()).toContain(
      'a.eval.yaml:4:5  error  unknown key `inptu`; did you mean `input`? [eval_invalid]',
    )
    expect([code, out()]).toEqual([2, ''])
  })

  it.each([
    [
      'an unknown agent',
      'agent: giude\ncases: [{ id: a, input: x, assert: [no-problems] }]\n',
      'There is no agent "giude"',
    ],
    [
      'an uncalibrated judge',
      cases('  - { id: a, input: x, assert: [{ type: judge, agent: guide, rubric: Is good. }] }'),
      'set `gate: false`',
    ],
  ])('exits with 2 for %s', async (_, text, message) => {
    const { code, err } = await troupe(['eval', 'a.eval.yaml'], { ...TEAM, 'a.eval.yaml': text })
    expect(err()).toContain(message)
    expect(code).toBe(2)
  })

  it('exits with 2 if the model of a card is missing, and with 1 if the provider fails', async () => {
    const card = TEAM['guide.md'] ?? ''
    const missing = await troupe(['eval', 'a.eval.yaml', '--quiet'], {
      ...TEAM,
      'guide.md': card.replace('script/guide.script.yaml', 'openai/gpt-5-mini'),
      'a.eval.yaml': cases(GOOD),
    })
    expect(missing.out()).toContain('env_missing')
    expect(missing.code).toBe(2)
    const failing = await troupe(['eval', 'a.eval.yaml', '--quiet'], {
      ...TEAM,
      'guide.script.yaml': 'rules: [{ when: open, fail: { status: 400 } }]',
      'a.eval.yaml': cases(GOOD),
    })
    expect(failing.out()).toMatch(/^hours +0\/0 +– +1 /mu)
    expect(failing.code).toBe(1)
  })

  it('exits with 4 if the budget of the evaluation is used up', async () => {
    const prices = { providers: { script: { prices: { 'guide.script.yaml': { input: 1, output: 1 } } } } }
    const { code, out } = await troupe(['eval', 'a.eval.yaml', '--max-cost', '0.001', '--quiet'], {
      ...TEAM,
      'troupe.json': JSON.stringify(prices),
      'a.eval.yaml': cases(GOOD),
    })
    expect(out()).toContain(
      '! budget_exceeded (1 of 1): The budget of the evaluation does not allow another model call',
    )
    expect(code).toBe(4)
  })

  it('approves only stubbed calls, and all of them with --yes', async () => {
    const order = "input: Where is my order?, assert: [{ contains: 'The order' }, { contains: found }]"
    const files = {
      ...TEAM,
      'a.eval.yaml': cases(
        `  - { id: real, ${order} }`,
        `  - { id: stubbed, stubs: { tools: { find: { return: was not found } } }, ${order} }`,
      ),
    }
    const asked = await troupe(['eval', 'a.eval.yaml', '--quiet'], files)
    expect(asked.out()).toMatch(/^real +0\/1 [^]*was not approved/mu)
    expect(asked.out()).toMatch(/^stubbed +1\/1 /mu)
    const approved = await troupe(['eval', 'a.eval.yaml', '--yes', '--quiet'], files)
    expect([approved.code, approved.out()]).toEqual([0, expect.stringMatching(/^real +1\/1 /mu)])
  })

  it('--junit and --html write the report with the timelines of the runs, and the folders above it', async () => {
    const folder = await project({ ...TEAM, 'a.eval.yaml': cases(GOOD, BAD) })
    const args = ['eval', '.', '--junit', 'reports/junit.xml', '--html', 'reports/page.html', '--quiet']
    expect((await troupeIn(folder.path, args)).code).toBe(3)
    const junit = await readFile(join(folder.path, 'reports/junit.xml'), 'utf8')
    expect(junit).toContain('<testsuites name="troupe eval" tests="2" failures="1"')
    const page = await readFile(join(folder.path, 'reports/page.html'), 'utf8')
    expect(page).toContain('Are dogs welcome when you open?')
    expect(page).toContain('class="timeline"')
  })

  it('--json prints the report, which --compare reads', async () => {
    const folder = await project({ ...TEAM, 'a.eval.yaml': cases(GOOD, BAD) })
    const first = await troupeIn(folder.path, ['eval', '.', '--json', '--repeat', '8'])
    const report = JSON.parse(first.out) as EvalResult
    expect(report).toMatchObject({
      version: 1,
      agent: 'guide',
      variants: [{ cases: [{ id: 'hours' }, { id: 'dogs' }] }],
    })
    expect(first.code).toBe(3)
    await folder.write('report.json', first.out)
    const same = await troupeIn(folder.path, [
      'eval',
      '.',
      '--compare',
      'report.json',
      '--repeat',
      '8',
      '--quiet',
    ])
    expect(same.out).toContain('Compared with report.json: not distinguishable (p = 1.000).')
    expect(same.code).toBe(0)
    await folder.write('guide.script.yaml', 'rules: [{ when: open, say: I do not know. }]')
    const worse = await troupeIn(folder.path, [
      'eval',
      '.',
      '--compare',
      'report.json',
      '--repeat',
      '8',
      '--quiet',
    ])
    expect(worse.out).toMatch(/^hours +0\/8 .* worse$/mu)
    expect(worse.code).toBe(3)
  })

  it('--compare prints a reason instead of a verdict, and exits with 2, if a configuration error broke every run of a side', async () => {
    const { path, write } = await project({ ...TEAM, 'a.eval.yaml': cases(GOOD) })
    const evaluate = (...options: readonly string[]) =>
      troupeIn(path, ['eval', '.', '--quiet', '--no-save', ...options])
    await write('good.json', (await evaluate('--json')).out)
    await write('guide.script.yaml', 'rulez: []')
    const broken = await evaluate('--compare', 'good.json')
    expect(broken.out).toContain(
      'Not compared with good.json: every case failed with model_script_invalid.\n',
    )
    expect([broken.code, broken.out]).toEqual([2, expect.not.stringContaining('not distinguishable')])
    await write('bad.json', (await evaluate('--json')).out)
    await write('guide.script.yaml', TEAM['guide.script.yaml'] ?? '')
    const { code, out } = await evaluate('--compare', 'bad.json')
    expect(out).toContain('Not compared with bad.json: there, every case failed with model_script_invalid.\n')
    expect([code, out]).toEqual([2, expect.not.stringContaining('not distinguishable')])
  })

  it.each([
    [['--compare', 'missing.json'], 'the file does not exist'],
    [['--repeat', '0'], 'not a number from 1 to 1000'],
    [['--recordings-mode', 'strict'], 'needs a folder'],
    [['--date', 'tomorrow'], 'not a date'],
  ])('refuses %j', async (options, message) => {
    const { code, err } = await troupe(['eval', 'a.eval.yaml', ...options], {
      ...TEAM,
      'a.eval.yaml': cases(GOOD),
    })
    expect([code, err()]).toEqual([2, expect.stringContaining(message)])
  })
})

describe('the example of troupe eval', () => {
  it('a second run asks no model, an equal prompt is not called better, and a worse one is called worse', async () => {
    const folder = await project({})
    await cp(EXAMPLE, folder.path, {
      recursive: true,
      filter: (path) => !/node_modules|tsconfig/u.test(path),
    })
    const evaluate = (...options: readonly string[]): ReturnType<typeof troupeIn> =>
      troupeIn(folder.path, ['eval', '.', '--json', '--quiet', '--recordings', 'recordings', ...options])
    const first = await evaluate()
    expect(first.err).toBe('')
    const report = JSON.parse(first.out) as EvalResult
    expect(report.variants[0]?.cases).toHaveLength(20)
    expect(report.variants[0]?.totals.modelCalls).toEqual({ asked: 120, recorded: 0 })
    await folder.write('report.json', first.out)
    const second = JSON.parse((await evaluate('--recordings-mode', 'strict')).out) as EvalResult
    expect(second.variants[0]?.totals.modelCalls).toEqual({ asked: 0, recorded: 120 })
    expect(outputsOf(second)).toEqual(outputsOf(report))
    const compare = async (
      card: string,
    ): Promise<readonly [code: number | null, verdict: string | undefined]> => {
      const { code, out } = await evaluate('--card', `edited/${card}`, '--compare', 'report.json')
      return [code, (JSON.parse(out) as EvalResult).comparison?.verdict]
    }
    expect(await compare('same.md')).toEqual([0, 'not distinguishable'])
    expect(await compare('short.md')).toEqual([3, 'worse'])
    const [shard = ''] = await readdir(join(folder.path, 'recordings'))
    const [file = ''] = await readdir(join(folder.path, 'recordings', shard))
    const recording = await readFile(join(folder.path, 'recordings', shard, file), 'utf8')
    expect(JSON.parse(recording)).toMatchObject({
      version: 1,
      result: { finishReason: expect.anything() as unknown },
    })
  })
})

function outputsOf({ variants }: EvalResult): readonly unknown[] {
  return variants.flatMap(({ cases }) => cases.flatMap(({ repeats }) => repeats.map(({ output }) => output)))
}
