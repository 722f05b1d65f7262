let page = 'Troupe'
let open = 0

/** Sets the title of the window to the title of the page. */
export function setPageTitle(title: string): void {
  page = `${title} – Troupe`
  show()
}

/** Puts the number of open approvals before the title of the window, to be visible in the background. */
export function setOpenCount(count: number): void {
  open = count
  show()
}

function show(): void {
  document.title = open === 0 ? page : `(${open}) ${page}`
}
