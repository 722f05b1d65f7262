// before the first paint, so that a page in the dark never flashes white
const chosen = localStorage.getItem('troupe.theme')
if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen
