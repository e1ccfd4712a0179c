import { ownLine } from '../../../model/text/plain-text';

/** A command with a button that copies it. The page's script shows the button. */
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
