import { troupeError, type AnyFunction } from '@troupe/schema'

/** Throws `hook_bad_signature` if a function has more parameters than its hook passes. Fewer are allowed. */
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
