/** The elements that HTML never closes. */
const voidTags = /^(area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/i;

/** Comments, CDATA sections, and elements that close themselves. No attribute of XML contains a `<`. */
const xmlSyntax =
  /<!--[\s\S]*?(?:-->|$)|<!\[CDATA\[([\s\S]*?)(?:\]\]>|$)|<([a-z][^\s/<>]*)((?:"[^"<]*"|'[^'<]*'|[^"'<>])*?)\/>/gi;

/** Writes XHTML as the HTML of the same page: HTML knows no CDATA, and takes `<script/>` for an element that goes on. */
export const xhtmlToHtml = (xhtml: string): string =>
  xhtml.replace(xmlSyntax, (syntax, characters?: string, tagName?: string, attributes?: string) => {
    if (characters !== undefined) return characters.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    if (tagName === undefined || voidTags.test(tagName)) return syntax;
    return `<${tagName}${attributes}></${tagName}>`;
  });
