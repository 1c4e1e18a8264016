// A slide is 1280 × 720 pixels, and larger or smaller as a whole.
Reveal.initialize({
  width: 1280, height: 720, margin: 0, minScale: 0.1, maxScale: 8, center: false,
  hash: true, transition: "none", controls: false, slideNumber: "c/t", totalTime: totalSeconds,
  plugins: [RevealNotes],
});

// The countdown of an exercise: T, or a click, starts it, and starts it again.
for (const button of document.querySelectorAll("button.countdown")) {
  let ticking = 0;
  button.addEventListener("click", () => {
    clearInterval(ticking);
    const end = Date.now() + button.dataset.minutes * 60000;
    const show = () => {
      const left = Math.max(0, Math.round((end - Date.now()) / 1000));
      button.textContent = left ? Math.floor(left / 60) + ":" + String(left % 60).padStart(2, "0") : timeIsUp;
      button.classList.toggle("over", left === 0);
      if (left === 0) clearInterval(ticking);
    };
    show();
    ticking = setInterval(show, 250);
    button.blur(); // otherwise the space bar would press it again
  });
}
Reveal.addKeyBinding({ keyCode: 84, key: "T", description: "Start the exercise's countdown" }, () => {
  const button = Reveal.getCurrentSlide().querySelector("button.countdown");
  if (button) button.click();
});
