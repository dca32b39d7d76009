"""A page in headless Chromium, driven through its debugging pipe (Chrome DevTools Protocol), without further packages."""

import base64
import json
import os
import subprocess
import time


class Browser:
    """One Chromium with one page; collects what the page reports as wrong."""

    def __init__(self, program, folder):
        commands_in, commands_out = os.pipe()
        answers_in, answers_out = os.pipe()

        def pipes():
            # Chromium reads commands from descriptor 3 and writes answers to descriptor 4.
            os.dup2(commands_in, 10), os.dup2(answers_out, 11)
            os.dup2(10, 3), os.dup2(11, 4)

        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
                     "--disable-component-update", "--disable-sync", "--disable-extensions", "--hide-scrollbars",
                     "--disable-dev-shm-usage", "--remote-debugging-pipe", f"--user-data-dir={folder}", "about:blank"]
        with open(f"{folder}.log", "wb") as log:
            self.process = subprocess.Popen([program, *arguments], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            pass_fds=(3, 4), preexec_fn=pipes, env={**os.environ, "HOME": str(folder)})
        os.close(commands_in), os.close(answers_out)
        self.commands, self.answers = commands_out, answers_in
        self.buffer, self.number, self.session, self.problems, self.loaded = b"", 0, None, [], 0
        targets = self.send("Target.getTargets")["targetInfos"]
        target = next(target["targetId"] for target in targets if target["type"] == "page")
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Log", "Audits":
            self.send(f"{domain}.enable")

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.commands), os.close(self.answers)

    def message(self):
        while b"\0" not in self.buffer:
            if not (data := os.read(self.answers, 1 << 20)):
                raise RuntimeError("Chromium ended")
            self.buffer += data
        text, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(text)

    def send(self, method, **parameters):
        self.number += 1
        command = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            command["sessionId"] = self.session
        os.write(self.commands, json.dumps(command).encode() + b"\0")
        while (message := self.message()).get("id") != self.number:
            self.note(message)
        if "error" in message:
            raise RuntimeError(f"{method}: {message['error']}")
        return message["result"]

    def note(self, event):
        """Keeps an event that tells of a problem: an error on the console, an exception, a violation of the policy."""
        method, details = event.get("method"), event.get("params", {})
        if method == "Page.loadEventFired":
            self.loaded += 1
        elif method == "Runtime.exceptionThrown":
            self.problems.append(json.dumps(details["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and details["type"] in ("error", "warning", "assert"):
            self.problems.append(json.dumps(details["args"]))
        elif method == "Log.entryAdded" and details["entry"]["level"] in ("error", "warning"):
            self.problems.append(json.dumps(details["entry"]))
        elif method == "Audits.issueAdded":
            self.problems.append(json.dumps(details["issue"]))

    def window(self, width, height=800, scale=1, dark=False, script=True):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=width < 500)
        scheme = "dark" if dark else "light"
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.send("Emulation.setScriptExecutionDisabled", value=not script)

    def open(self, url):
        before = self.loaded
        self.send("Page.navigate", url=url)
        deadline = time.monotonic() + 30
        while self.loaded == before:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{url} did not load")
            self.send("Page.getLayoutMetrics")
            time.sleep(0.05)

    def value(self, expression):
        """The value of an expression of the page, also where the page's own scripts are disabled."""
        return self.send("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def wait(self, expression, seconds=15):
        deadline = time.monotonic() + seconds
        while not (value := self.value(expression)):
            if time.monotonic() > deadline:
                raise TimeoutError(f"waited {seconds} s until {expression}")
            time.sleep(0.1)
        return value

    def screenshot(self, path, height=None):
        """Writes the page as PNG, from its top to `height` or its end."""
        size = self.send("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], height or 10_000), "scale": 1}
        image = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        with open(path, "wb") as file:
            file.write(base64.b64decode(image["data"]))
