import { addCopyButtons } from './copy-buttons.ts';
import { startSearch } from './search.ts';

// Above the page, the sections would fill a small screen.
const contents = document.querySelector<HTMLDetailsElement>('.contents');
if (contents && matchMedia('(max-width: 54rem)').matches) contents.open = false;

// The list of pages may be longer than the screen.
document.querySelector('.side > .pages [aria-current]')?.scrollIntoView({ block: 'nearest' });

addCopyButtons();
startSearch();
