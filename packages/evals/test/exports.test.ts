import { expect, it } from 'vitest'
import * as entryPoint from '../src/index.ts'

it('@troupe/evals exports exactly these names', () => {
  expect(Object.keys(entryPoint).toSorted()).toEqual([
    'RECORDING_MODES',
    'REPORT_FOLDER',
    'addCase',
    'caseFromRun',
    'compareCounts',
    'createEvalSpending',
    'fisherTest',
    'formatHtml',
    'formatJunit',
    'formatTable',
    'holmAdjust',
    'isConfigError',
    'mcNemarTest',
    'openRecordingFolder',
    'openReports',
    'parseReport',
    'readCases',
    'repeatsToCall',
    'repeatsToCallOneCase',
    'runEvals',
    'saveReport',
    'stratifiedTest',
    'wilsonInterval',
  ])
})
