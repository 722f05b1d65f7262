/**
 * Copies a text to the clipboard. Returns false if the browser does not allow it. Over plain HTTP at an address
 * in the local network, browsers have no `navigator.clipboard`.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copySelection(text)
  }
}

/** Copies a text by selecting it in a field, the way of browsers before the clipboard had an interface. */
function copySelection(text: string): boolean {
  const { activeElement } = document
  const field = document.createElement('textarea')
  field.value = text
  field.readOnly = true
  field.className = 'sr-only'
  // inside a dialog, because focus outside it is moved back
  const parent = activeElement?.closest('dialog, [role="dialog"]') ?? document.body
  parent.append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  if (activeElement instanceof HTMLElement) activeElement.focus({ preventScroll: true })
  return isCopied
}
