import { expect, it } from 'vitest'
import * as entryPoint from '../src/index.ts'

it('@troupe/env exports exactly the documented names', () => {
  expect(Object.keys(entryPoint).toSorted()).toEqual([
    'ENV_OPTION',
    'createOverlay',
    'createRedactor',
    'expandText',
    'expandValues',
    'findVariables',
    'missingVariables',
    'parseEnvFile',
    'redactValues',
    'secretsInUse',
  ])
})
