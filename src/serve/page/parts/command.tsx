import { ownLine } from '../../../model/text/plain-text';

/** What can be typed instead, to be copied. Its button is there where the page's script is. */
export const Command = ({ text }: { readonly text: string }) => {
  const command = ownLine(text);
  return (
    <span class="command">
      <code>{command}</code>
      <button type="button" class="copy" data-copy={command} aria-label={`Copy: ${command}`} hidden>
        Copy
      </button>
    </span>
  );
};
