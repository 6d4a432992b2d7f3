import type { Element, ElementContent, Nodes, Parents } from 'hast';

/** Elements that hold no text of the page, or text that is not part of its content. */
const nonContentTags = new Set(
  'script style noscript template nav svg canvas iframe frame frameset object embed applet audio video map head link meta title base button input select textarea datalist progress meter'.split(
    ' ',
  ),
);
const nonContentRoles = /^(navigation|menu|menubar|search|dialog|alertdialog|toolbar|tablist|progressbar)$/i;
const hiddenStyle = /display\s*:\s*none|visibility\s*:\s*hidden/i;
const consentNames = /(^|[\s_-])(cookie|consent|gdpr)[\w-]*(banner|bar|notice|popup|modal|dialog|overlay)([\s_-]|$)/i;
/** Names of navigation. An element with such a name is removed if most of it is links, so that a restaurant's menu stays. */
const navigationNames =
  /(^|[\s_-])(nav|navbar|navigation|menu|breadcrumbs?|pagination|pager|sitemap|toc|skip-?(link|nav)|social|share)([\s_-]|$)/i;
const surroundingTags = new Set(['header', 'footer', 'aside']);
const listTags = new Set(['ul', 'ol', 'menu', 'dl']);

/** Removes navigation, hidden elements and everything else that is not content from a page. */
export const removePageChrome = (body: Nodes): void => {
  if ('children' in body) prune(body, false, false);
};

type Size = { text: number; linked: number };

/** Removes what is not content from an element. Returns its number of characters, and the number of those in links. */
const prune = (element: Parents, isLinked: boolean, isSurrounding: boolean): Size => {
  const size = { text: 0, linked: 0 };
  const kept: ElementContent[] = [];
  for (const child of element.children as ElementContent[]) {
    if (child.type === 'comment' || (child.type === 'element' && isNonContent(child))) continue;
    const childSize =
      child.type === 'element'
        ? prune(child, isLinked || child.tagName === 'a', isSurrounding || surroundingTags.has(child.tagName))
        : sizeOfText(child.value, isLinked);
    size.text += childSize.text;
    size.linked += childSize.linked;
    if (child.type === 'text' || !isNavigation(child, childSize, isSurrounding)) kept.push(child);
  }
  element.children = kept;
  return size;
};

const sizeOfText = (value: string, isLinked: boolean): Size => {
  const text = value.replace(/\s+/g, '').length;
  return { text, linked: isLinked ? text : 0 };
};

const isNavigation = (element: Element, { text, linked }: Size, isSurrounding: boolean): boolean =>
  element.tagName !== 'a' &&
  linked > 0 &&
  linked >= text * 0.7 &&
  (navigationNames.test(namesOf(element)) || (isSurrounding && listTags.has(element.tagName)));

const isNonContent = (element: Element): boolean => {
  const { tagName, properties } = element;
  if (tagName === 'dialog') return properties.open === undefined;
  return (
    nonContentTags.has(tagName.toLowerCase()) ||
    properties.hidden !== undefined ||
    properties.ariaHidden === 'true' ||
    nonContentRoles.test(String(properties.role ?? '')) ||
    hiddenStyle.test(String(properties.style ?? '')) ||
    consentNames.test(namesOf(element))
  );
};

const namesOf = ({ properties }: Element) => {
  const { className, id } = properties;
  return `${Array.isArray(className) ? className.join(' ') : ''} ${id ?? ''}`;
};
