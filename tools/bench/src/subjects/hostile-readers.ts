import { CARD_FORMATS } from '@troupe/card-formats'
import { parseCards, readJsonObject } from '@troupe/cards'
import { createOverlay, expandText, findVariables, parseEnvFile } from '@troupe/env'
import { checkAddress } from '@troupe/fetch'
import { createHost } from '@troupe/host'
import type { HostileKind } from '@troupe/testkit'
import { createValidator, parseFunctionSpec } from '@troupe/tools'
import { parsePromptTemplate, templateProblems } from '@troupe/tools/prompt-template'

/** Reads a text as the product reads one of its kind; what it says of it does not matter here. */
export type HostileReader = (text: string) => unknown

const OVERLAY = createOverlay([{ origin: 'process', values: { A: '1' } }])
const lookup = async (): Promise<{ address: string; family: 4 }[]> => [{ address: '192.0.2.1', family: 4 }]
const NO_PARAMETERS = { type: 'object', properties: {} } as const

/** What reads a text of each kind. */
export const HOSTILE_READERS: Readonly<Record<HostileKind, HostileReader>> = {
  card: (text) => parseCards(text, { path: '/t/a.md', formats: CARD_FORMATS }),
  data: (text) => parseCards(text, { path: '/t/a.yaml', formats: CARD_FORMATS }),
  address: (text) => attempt(() => checkAddress(text, {}, { lookup })),
  spec: (text) => attempt(() => parseFunctionSpec(text)),
  template: (text) =>
    templateProblems(parsePromptTemplate(text), {
      tool: { name: 'tool', description: 'A tool.' },
      parameters: NO_PARAMETERS,
    }),
  env: (text) => parseEnvFile(text, 'troupe.env'),
  value: (text) => [findVariables(text), expandText(text, OVERLAY)],
  config: async (text) => {
    const read = readJsonObject(text)
    const config = 'value' in read ? read.value : {}
    await (await createHost({ cards: [], cwd: '/', config })).close()
  },
}

/** Checks a value against a schema that was not seen before. */
export function checkHostile({
  schema,
  value,
}: {
  readonly schema: object
  readonly value: object
}): unknown {
  return createValidator()(schema as never, value as never)
}

/** What is thrown is a verdict, too. */
async function attempt(read: () => unknown): Promise<unknown> {
  try {
    return await read()
  } catch (thrown) {
    return thrown
  }
}
