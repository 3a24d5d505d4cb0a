/** One line with the time that has passed, rewritten in a terminal; on stderr: stdout is the script's. */
export function showProgress(what) {
  const { stderr } = process;
  const started = Date.now();
  const seconds = () => `${Math.round((Date.now() - started) / 1000)} s`;
  const rewrite = (text) => stderr.write(`\r\u001b[K${text}`);

  stderr.write(stderr.isTTY ? `${what} …` : `${what} (npm ci) …\n`);
  const timer = stderr.isTTY ? setInterval(() => rewrite(`${what} … ${seconds()}`), 1000) : undefined;
  return {
    end(succeeded) {
      clearInterval(timer);
      const text = succeeded ? `${what}: done in ${seconds()}\n` : `${what}: failed after ${seconds()}\n`;
      if (stderr.isTTY) rewrite(text);
      else stderr.write(text);
    },
  };
}
