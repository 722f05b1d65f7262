import { TroupeError } from '@troupe/schema'
import { HOSTILE_TEXTS } from '@troupe/testkit/internal'
import { expect, it } from 'vitest'
import { checkAddress } from '../src/index.ts'

it.each(HOSTILE_TEXTS.address.map(({ name, text }) => [name, text] as const))(
  'a hostile address is either rejected or public: %s',
  async (_name, text) => {
    const lookup = async (): Promise<{ address: string; family: 4 }[]> => [{ address: '8.8.8.8', family: 4 }]
    const verdict = await checkAddress(text, {}, { lookup }).catch((thrown: unknown) => thrown)
    expect(verdict === undefined || TroupeError.isInstance(verdict)).toBe(true)
  },
)
