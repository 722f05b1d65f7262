import { expect, it } from 'vitest'
import * as editEntryPoint from '../src/edit/index.ts'
import * as entryPoint from '../src/index.ts'

it('@troupe/cards exports exactly these names', () => {
  expect(Object.keys(entryPoint).toSorted()).toEqual([
    'SERVER_KEY_SUGGESTIONS',
    'agentsFolderOf',
    'cardJsonSchema',
    'convertCard',
    'listNonCards',
    'localFiles',
    'parseCard',
    'parseCards',
    'projectFoldersIn',
    'readCard',
    'readCardFiles',
    'readCardFolder',
    'readCards',
    'readJsonObject',
    'readMarkdown',
    'readYamlObject',
    'renderTemplate',
    'shortDurations',
  ])
  expect(Object.keys(editEntryPoint).toSorted()).toEqual(['editCard', 'editExportedTool'])
})
