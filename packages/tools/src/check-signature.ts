import { troupeError, type AnyFunction } from '@troupe/schema'

/** Throws `hook_bad_signature` for a function that wants more than a hook is given (R10, B52). Fewer parameters are fine. */
export function checkSignature(
  fn: AnyFunction,
  hook: { readonly label: string; readonly form: readonly string[] },
): void {
  if (fn.length <= hook.form.length) return
  const form = `(${hook.form.join(', ')})`
  throw troupeError('hook_bad_signature', `${hook.label} has ${fn.length} parameters; the form is ${form}.`, {
    fix: `Give it at most ${hook.form.length} parameters: ${form}.`,
  })
}
