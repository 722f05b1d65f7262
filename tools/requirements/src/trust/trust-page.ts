import { mutantKey } from '../mutants/recorded-verdicts.ts'
import type { Guarantee, TrustData } from './trust-data.ts'

/** Returns the text of the trust page. */
export function trustPage(data: TrustData): string {
  const { guarantees, mutants, figures } = data
  return `# Trust

What Troupe guarantees, and what proves it. \`pnpm trust\` generates this page from the
[requirements](../tools/requirements/README.md), the tests that cite them, and the recorded results of \`pnpm soak\`. A
test fails if the page and its data differ. [Security](../SECURITY.md) describes the guarantees for operators, and
[Versions](versions.md) what stays compatible.

A requirement is proved by a test that cites it, and the test by a mutant: a small change to the product that breaks the
requirement, so that the test must fail.

${killedOf(mutants.map(mutantKey), data)} mutants of all requirements were killed when they last ran.

## Guarantees

| guarantee | requirements | test files | mutants killed |
|---|---|---|---|
${guarantees.map((guarantee) => summaryRow(guarantee, data)).join('\n')}

${guarantees.map((guarantee) => section(guarantee, data)).join('\n\n')}

## Figures of the last soak

\`pnpm soak\` runs the slow tests in full size and records how much they tried. Every figure is that of a passed test.

${figures.length === 0 ? 'No soak has been recorded yet.' : figureTable(data)}

Repeat one of these tests with the variables that \`soak\` in \`package.json\` sets, such as
\`CRASHES=200 pnpm exec vitest run --project host packages/host/test/crash.process.test.ts\`.
`
}

function summaryRow(guarantee: Guarantee, data: TrustData): string {
  const { title, requirements } = guarantee
  const keys = keysOf(guarantee, data)
  return `| [${title}](#${slug(title)}) | ${requirements.length} | ${filesOf(guarantee, data).size} | ${keys.length === 0 ? '–' : killedOf(keys, data)} |`
}

function section(guarantee: Guarantee, data: TrustData): string {
  const { title, text, requirements, tests } = guarantee
  const cited = [...filesOf(guarantee, data)].filter((file) => !tests.includes(file)).length
  return [
    `### ${title}`,
    '',
    text,
    '',
    ...(requirements.length === 0
      ? []
      : [
          `- Requirements: ${requirements.join(', ')}, cited by ${cited} ${tests.length === 0 ? '' : 'further '}test files`,
        ]),
    ...tests.map((file) => `- \`${file}\``),
  ].join('\n')
}

function figureTable({ figures }: TrustData): string {
  return [
    '| figure | value | date |',
    '|---|---|---|',
    ...figures.map(({ name, value, date }) => `| ${name} | ${value.toLocaleString('en')} | ${date} |`),
  ].join('\n')
}

/** Returns the test files that prove a guarantee. */
function filesOf({ requirements, tests }: Guarantee, { citations }: TrustData): ReadonlySet<string> {
  return new Set([...requirements.flatMap((id) => citations.files.get(id) ?? []), ...tests])
}

function keysOf({ requirements }: Guarantee, { mutants }: TrustData): readonly string[] {
  return mutants.filter(({ id }) => requirements.includes(id)).map(mutantKey)
}

/** Returns how many mutants were killed, such as `3 of 4`. */
function killedOf(keys: readonly string[], { verdicts }: TrustData): string {
  return `${keys.filter((key) => verdicts[key] === 'killed').length} of ${keys.length}`
}

function slug(title: string): string {
  return title.toLowerCase().replaceAll(' ', '-')
}
