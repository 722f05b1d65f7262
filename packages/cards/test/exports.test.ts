import { expect, it } from 'vitest'
import * as editDoor from '../src/edit/index.ts'
import * as door from '../src/index.ts'

it('exports these names and no others', () => {
  expect(Object.keys(door).toSorted()).toEqual([
    'MEANT_SERVER_KEYS',
    'cardJsonSchema',
    'convertCard',
    'listNoCards',
    'parseCard',
    'parseCards',
    'readCard',
    'readCardFiles',
    'readCardFolder',
    'readCards',
    'readJsonObject',
    'readMarkdown',
    'readProjectFile',
    'renderTemplate',
    'shortDurations',
  ])
  expect(Object.keys(editDoor).toSorted()).toEqual(['editCard', 'editExportedTool'])
})
