import type { LanguageModel, ModelHandle } from '@troupe/schema'

/** The handles for one run: each gives the run one model however often it is asked, so a scripted one goes on where it stood. */
export function openOnce(handles: readonly ModelHandle[]): readonly ModelHandle[] {
  return handles.map((handle) => {
    let model: LanguageModel | undefined
    return { ...handle, open: (run) => (model ??= handle.open(run)) }
  })
}
