import { addCopyButtons } from './copy-buttons.ts';
import { startSearch } from './search.ts';

// Where the sections stand above the page, they would fill a small screen.
const contents = document.querySelector<HTMLDetailsElement>('.contents');
if (contents && matchMedia('(max-width: 54rem)').matches) contents.open = false;

addCopyButtons();
startSearch();
