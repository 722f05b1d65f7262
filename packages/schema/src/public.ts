// Failures and events without the details that only an operator may see.

export {
  publicEvent,
  publicFailure,
  reportHiddenFailures,
  hideFailures,
  reportForPublic,
  runForPublic,
  type OnHiddenFailure,
} from './runner/public-failure.ts'
